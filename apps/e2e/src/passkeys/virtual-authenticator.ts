import type { CDPSession, Page } from 'playwright-core';

interface StoredPasskey {
  readonly credentialId: string;
}

/** The authenticator of a tab, in memory. It answers at once, unless it is told otherwise. */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async of(tab: Page): Promise<VirtualAuthenticator> {
    const session = await tab.context().newCDPSession(tab);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        defaultBackupEligibility: true,
        defaultBackupState: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  async stored(): Promise<StoredPasskey[]> {
    const { authenticatorId } = this;
    return (await this.session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  }

  /** Whether the user touches the device at once, from the next request on. */
  async setPresence(enabled: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }
}
