import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { DeclaredReasons, declareReasons } from './declared-reasons.js';

async function reasonsOf(...imports: (new () => object)[]): Promise<DeclaredReasons> {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule, ...imports],
    providers: [DeclaredReasons],
  }).compile();
  return module.get(DeclaredReasons);
}

@Module({ providers: [declareReasons({ 40101: ['idle'], 40113: ['challenge-ended'] })] })
class FirstModule {}

@Module({ providers: [declareReasons({ 40101: ['idle', 'expired'] })] })
class SecondModule {}

@Module({ providers: [declareReasons({ 40101: ['idle'] }), declareReasons({ 40300: ['session-limit'] })] })
class TwiceModule {}

describe('DeclaredReasons', () => {
  it('joins the reasons of all modules, by code', async () => {
    const reasons = await reasonsOf(FirstModule, SecondModule);

    expect(reasons.byCode()).toEqual(
      new Map([
        [40101, new Set(['idle', 'expired'])],
        [40113, new Set(['challenge-ended'])],
      ]),
    );
  });

  it('refuses a module that declares twice, because Nest keeps the last declaration only', async () => {
    const reasons = await reasonsOf(TwiceModule);

    expect(() => reasons.byCode()).toThrow('TwiceModule provides kit-auth.reasons more than once');
  });
});
