import { Body, Controller, Get, Post } from '@nestjs/common';
import { IsNotEmpty, IsString } from 'class-validator';
import { CurrentUser, type LoginUser, RequirePermissions } from 'kit-auth';
import { PrismaService } from '../database/prisma.service.js';

class NewArticle {
  @IsString()
  @IsNotEmpty()
  title: string;
}

@Controller('v1/articles')
export class ArticlesController {
  constructor(private readonly prisma: PrismaService) {}

  @Get()
  @RequirePermissions('article:read')
  list() {
    return this.prisma.article.findMany();
  }

  @Post()
  @RequirePermissions('article:write')
  create(@CurrentUser() user: LoginUser, @Body() { title }: NewArticle) {
    return this.prisma.article.create({ data: { authorId: user.userId, title } });
  }
}
