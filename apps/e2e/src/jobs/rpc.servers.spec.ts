import { afterAll, beforeAll } from '@jest/globals';
import { type NatsOptions, NatsRecordBuilder, Transport } from '@nestjs/microservices';
import { headers } from '@nats-io/transport-node';
import { freePorts, RedisServer } from 'test-support';
import { describeMessages, type Wire } from './rpc.suite.js';
import { NatsServer } from './nats-server.js';

let redis: RedisServer;
let nats: NatsServer;
beforeAll(async () => {
  const [redisPort, natsPort] = (await freePorts(2)) as [number, number];
  [redis, nats] = [new RedisServer(redisPort), new NatsServer(natsPort)];
  await Promise.all([redis.start(), nats.start()]);
});
afterAll(() => Promise.all([redis.dispose(), nats.kill()]));

const overRedis = () =>
  ({ transport: Transport.REDIS, options: { host: '127.0.0.1', port: redis.port } }) as const;
const overNats = (): NatsOptions => ({
  transport: Transport.NATS,
  options: { servers: [`127.0.0.1:${nats.port}`] },
});

const WIRES: Readonly<Record<string, Wire>> = {
  Redis: { server: overRedis, client: overRedis },
  NATS: {
    server: overNats,
    client: overNats,
    record: (data, carried) => {
      const sent = headers();
      Object.entries(carried).forEach(([name, value]) => sent.set(name, value));
      return new NatsRecordBuilder(data).setHeaders(sent).build();
    },
  },
};

Object.entries(WIRES).forEach(([name, wire]) =>
  describeMessages(name, wire, 'createMicroservice', 'fastify'),
);
