import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import {
  EventPattern,
  KafkaContext,
  MessagePattern,
  MqttContext,
  NatsContext,
  RedisContext,
  RmqContext,
  TcpContext,
} from '@nestjs/microservices';
import { headers } from '@nats-io/transport-node';
import { headersOf, messageNameOf } from './rpc.context.js';
import { tokenIn } from '../carrying/carried-data.js';

class Bills {
  @MessagePattern({ cmd: 'declared' })
  one() {}

  @EventPattern(['first', 'second'])
  two(data: unknown) {
    return data;
  }
}

const handlerOf = (name: 'one' | 'two') => Reflect.get(Bills.prototype, name) as object;

const nameOf = (parts: unknown[], handler = handlerOf('one')) =>
  messageNameOf({ getArgs: () => [{}, ...parts], getHandler: () => handler } as unknown as ExecutionContext);

describe('the name of a message', () => {
  it.each<[string, unknown[]]>([
    ['NATS', [new NatsContext(['invoice.create', undefined])]],
    ['Kafka', [new KafkaContext([{}, 0, 'invoice.create'] as never)]],
    ['MQTT', [new MqttContext(['invoice.create', {}])]],
    ['Redis', [new RedisContext(['invoice.create'] as never)]],
    ['TCP', [new TcpContext([{}, 'invoice.create'] as never)]],
    ['RabbitMQ', [new RmqContext([{}, {}, 'invoice.create'])]],
    ['gRPC', [{ getMap: () => ({}) }, { getPath: () => 'invoice.create' }]],
  ])('is that of %s', (_, parts) => {
    expect(nameOf(parts)).toBe('invoice.create');
  });

  it('is the pattern of the handler with a transport of one’s own, if there is one only', () => {
    expect([nameOf([]), nameOf([{}])]).toEqual([{ cmd: 'declared' }, { cmd: 'declared' }]);
    expect(nameOf([{}], handlerOf('two'))).toBeUndefined();
  });
});

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
