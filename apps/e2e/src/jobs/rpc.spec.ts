import { Transport } from '@nestjs/microservices';
import { describeMessages, portOf, SERVICES, type Wire } from './rpc.suite.js';

const TCP: Wire = {
  server: () => ({ transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } }),
  client: (service) => ({ transport: Transport.TCP, options: { host: '127.0.0.1', port: portOf(service) } }),
};

Object.keys(SERVICES).forEach((kind) => describeMessages('TCP', TCP, kind));
