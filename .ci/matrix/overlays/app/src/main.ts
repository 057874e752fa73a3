import { NestFactory } from '@nestjs/core';
import { documentKitAuth } from 'kit-auth/openapi';
import { adapter } from './adapter';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule, adapter(), { logger: ['error', 'warn'] });
  app.enableShutdownHooks();
  documentKitAuth({ paths: {} }, app);
  await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
  console.log(await app.getUrl());
}
void bootstrap();
