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
import { messageNameOf } from './message.name.js';

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
