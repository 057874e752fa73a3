import { Body, Controller, Get, Inject, Post } from '@nestjs/common';
import { IsNotEmpty, IsString } from 'class-validator';
import { CurrentUser, type LoginUser, RequirePermissions } from 'kit-auth';
import { DATABASE, type Database } from '../database/database.module.js';
import { articles } from '../database/schema.js';

class NewArticle {
  @IsString()
  @IsNotEmpty()
  title: string;
}

@Controller('v1/articles')
export class ArticlesController {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  @Get()
  @RequirePermissions('article:read')
  list() {
    return this.db.select().from(articles);
  }

  @Post()
  @RequirePermissions('article:write')
  async create(@CurrentUser() user: LoginUser, @Body() { title }: NewArticle) {
    const [article] = await this.db.insert(articles).values({ authorId: user.userId, title }).returning();
    return article;
  }
}
