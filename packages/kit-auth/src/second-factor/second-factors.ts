import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { LoginUser } from '../contract/login-user.js';
import { inOrder, OBJECT, type Port, STRINGS } from '../ports/port.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { type FactorOutcome, SECOND_FACTOR, type SecondFactor } from './second-factor.js';

const OUTCOMES: readonly unknown[] = ['right', 'wrong', 'unreadable'] satisfies FactorOutcome[];
const FACTORS: Port<SecondFactor> = {
  token: SECOND_FACTOR,
  contract: 'SecondFactor',
  methods: {
    of: { isRequired: true, returns: STRINGS },
    hint: { returns: OBJECT },
    verify: {
      isRequired: true,
      returns: { expected: `one of ${OUTCOMES.join(', ')}`, fits: (value) => OUTCOMES.includes(value) },
    },
  },
  properties: ['names', 'confirms', 'asks', 'order'],
};

/** The second factors of the application's modules, in their order. */
@Injectable()
export class SecondFactors implements OnModuleInit {
  private all: readonly SecondFactor[] = [];

  constructor(
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {}

  /** @throws IllegalStateException for a contribution that does not implement `SecondFactor` */
  onModuleInit(): void {
    this.all = inOrder(this.ports.allTo(FACTORS));
  }

  /** The names of all factors. */
  names(): string[] {
    return this.all.flatMap(({ names }) => names);
  }

  /** The contribution that a factor belongs to. */
  find(name: string): SecondFactor | undefined {
    return this.all.find(({ names }) => names.includes(name));
  }

  /** The factors of a user that a login asks for. Empty if it asks for none. */
  async askedOf(user: LoginUser): Promise<Asked[]> {
    const found = await this.of(user);
    return areAsked(found) ? found : [];
  }

  /** The factors with which a user can confirm a login, if a login asks for none. Empty if it does. */
  async unaskedOf(user: LoginUser): Promise<string[]> {
    const found = await this.of(user);
    return areAsked(found) ? [] : confirmersAmong(found);
  }

  /** All factors with which a user can confirm a login, for `LoginStep.confirmersOf`. */
  async confirmersOf(user: LoginUser): Promise<string[]> {
    const [hasPassword, found] = await Promise.all([this.users.hasPassword(user), this.of(user)]);
    return [...(hasPassword ? ['password'] : []), ...confirmersAmong(found)];
  }

  private async of(user: LoginUser): Promise<Asked[]> {
    const all: Asked[] = [];
    for (const factor of this.all) {
      const names = await factor.of(user);
      if (names.length > 0) {
        all.push({ factor, names });
      }
    }
    return all;
  }
}

/** A contribution with the factors that a user has of it. */
export interface Asked {
  readonly factor: SecondFactor;
  readonly names: readonly string[];
}

function areAsked(found: readonly Asked[]): boolean {
  return found.some(({ factor }) => factor.asks !== false);
}

/** Those of some factors that can confirm a login. */
export function confirmersAmong(found: readonly Asked[]): string[] {
  return found.flatMap(({ factor, names }) => names.filter((name) => factor.confirms.includes(name)));
}
