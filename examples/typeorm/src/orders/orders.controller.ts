import { Body, Controller, Get, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNotEmpty, IsString } from 'class-validator';
import { CurrentUser, type LoginUser, RequireRoles } from 'kit-auth';
import { Repository } from 'typeorm';
import { Order } from './order.entity';

class NewOrder {
  @IsString()
  @IsNotEmpty()
  item: string;
}

@Controller('orders')
export class OrdersController {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  @Get()
  own(@CurrentUser() user: LoginUser) {
    return this.orders.findBy({ buyerId: user.userId });
  }

  @Get('all')
  @RequireRoles('manager')
  all() {
    return this.orders.find();
  }

  @Post()
  place(@CurrentUser() user: LoginUser, @Body() { item }: NewOrder) {
    return this.orders.save({ item, buyerId: user.userId });
  }
}
