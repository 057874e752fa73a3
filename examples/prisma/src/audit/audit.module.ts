import { Module } from '@nestjs/common';
import { AUTH_EVENT_SINK } from 'kit-auth';
import { AuditSink } from './audit.sink.js';

@Module({ providers: [{ provide: AUTH_EVENT_SINK, useClass: AuditSink }] })
export class AuditModule {}
