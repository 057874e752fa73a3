import { headers } from '@nats-io/transport-node';
import { describe, expect, it } from '@jest/globals';
import { KafkaContext, NatsContext, RmqContext, TcpContext } from '@nestjs/microservices';
import { tokenIn } from '../carrying/carried-data.js';
import { headersOf } from './message.headers.js';

const TOKEN = 'kapj_x_y';

const tokenOf = (context: unknown) => tokenIn({}, headersOf(context));

function natsHeaders(token?: string) {
  const sent = headers();
  if (token !== undefined) {
    sent.set('kit-auth', token);
  }
  return sent;
}

const kafka = (sent: object | undefined) => new KafkaContext([{ headers: sent }] as never);
const rmq = (properties: object) => new RmqContext([{ properties }, {}, 'bill'] as never);

describe('the header of a message', () => {
  it.each<[string, unknown]>([
    ['NATS', new NatsContext(['bill', natsHeaders(TOKEN)])],
    ['RabbitMQ', rmq({ headers: { 'kit-auth': TOKEN } })],
    ['Kafka', kafka({ 'kit-auth': TOKEN })],
    ['Kafka as bytes', kafka({ 'kit-auth': Buffer.from(TOKEN) })],
    ['gRPC', { getMap: () => ({ 'kit-auth': TOKEN }), get: () => [TOKEN] }],
  ])('is read from %s', (_, context) => {
    expect(tokenOf(context)).toBe(TOKEN);
  });

  it.each<[string, unknown]>([
    ['NATS without headers', new NatsContext(['bill', undefined])],
    ['RabbitMQ without headers', rmq({})],
    ['Kafka without headers', kafka(undefined)],
    ['gRPC', { getMap: () => ({}), get: () => [] }],
    ['TCP', new TcpContext([{}, 'bill'] as never)],
    ['a transport of one’s own', undefined],
  ])('is missing in %s', (_, context) => {
    expect(tokenOf(context)).toBeUndefined();
  });
});
