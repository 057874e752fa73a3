import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Order } from './order.entity';
import { OrdersController } from './orders.controller';

@Module({ imports: [TypeOrmModule.forFeature([Order])], controllers: [OrdersController] })
export class OrdersModule {}
