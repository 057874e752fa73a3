import type { AddressInfo, Server } from 'node:net';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type ClientProxy,
  ClientProxyFactory,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { moduleOf, TestApp, type TestAppOptions } from 'test-support';

export const TCP: MicroserviceOptions = {
  transport: Transport.TCP,
  options: { host: '127.0.0.1', port: 0 },
};

export interface Service {
  /** Has its logs, and the HTTP server if there is one. */
  readonly app: TestApp;
  readonly service: INestMicroservice;
  readonly close: () => Promise<void>;
}

export async function hybrid(
  options: TestAppOptions,
  server = TCP,
  inheritAppConfig = false,
): Promise<Service> {
  const app = await new TestApp(options).create();
  const service = app.nest.connectMicroservice(server, { inheritAppConfig });
  await app.nest.startAllMicroservices(); // before the routes, as the documentation of Nest does it
  await app.nest.listen(0, '127.0.0.1');
  return { app, service, close: () => app.close() };
}

async function microservice(options: TestAppOptions, server = TCP): Promise<Service> {
  const app = new TestApp();
  const module = await moduleOf(options);
  const service = await NestFactory.createMicroservice<MicroserviceOptions>(module as never, {
    ...server,
    abortOnError: false,
    logger: app.logs,
  });
  await service.listen();
  return { app, service, close: () => service.close() };
}

/** All ways to start a microservice. */
export const SERVICES: Readonly<
  Record<string, (options: TestAppOptions, server?: MicroserviceOptions) => Promise<Service>>
> = {
  'a hybrid application': hybrid,
  'a hybrid application with inheritAppConfig': (options, server) => hybrid(options, server, true),
  createMicroservice: microservice,
};

/** The port of a service of TCP. */
export function portOf(service: INestMicroservice): number {
  return (service.unwrap<Server>().address() as AddressInfo).port;
}

/** A client of a service of TCP. */
export async function clientOf(service: INestMicroservice): Promise<ClientProxy> {
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: portOf(service) },
  });
  await client.connect();
  return client;
}
