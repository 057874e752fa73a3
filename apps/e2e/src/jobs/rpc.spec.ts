import { Transport } from '@nestjs/microservices';
import { portOf, SERVICES, TCP } from '../messages/services.js';
import { describeMessages, type Wire } from './rpc.suite.js';

const OVER_TCP: Wire = {
  server: () => TCP,
  client: (service) => ({ transport: Transport.TCP, options: { host: '127.0.0.1', port: portOf(service) } }),
};

Object.keys(SERVICES).forEach((kind) => describeMessages('TCP', OVER_TCP, kind));
