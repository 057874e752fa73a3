import { ExpressAdapter } from '@nestjs/platform-express';

export const adapter = () => new ExpressAdapter();
