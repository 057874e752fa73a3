import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, kitAuthConfig } from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { AppController } from './app.controller';
import { AppService } from './app.service';
import { database } from './database';
import { additions, Implementation } from './implementation';
import { NotesModule } from './notes/notes.module';
import { tables } from './tables';

@Module({
  imports: [
    TypeOrmModule.forRoot({ ...database, ...tables, autoLoadEntities: true }),
    KitAuthModule.forRootAsync(kitAuthConfig.asProvider()),
    Implementation,
    ...additions,
    KitAuthAdminModule,
    NotesModule,
  ],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
