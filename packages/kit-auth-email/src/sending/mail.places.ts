import type { QueuedMail } from './queued-mail.js';

const PLACES = 1000;
/** Requested mails give up their places until there are this many notices. */
const FOR_NOTICES = PLACES / 4;

/** The places of the queue. A mail keeps its place until it is sent or given up. */
export class MailPlaces {
  /** In the order of arrival. */
  private readonly mails = new Set<QueuedMail>();

  get size(): number {
    return this.mails.size;
  }

  get all(): readonly QueuedMail[] {
    return [...this.mails];
  }

  /**
   * If no place is left, the user or network with the most requested mails gives up the last of them, for a notice, or
   * for a requested mail of a user or network with fewer. Notices keep their places.
   *
   * @returns the mail without a place, if any: the new one, or the one that it replaces
   */
  add(mail: QueuedMail): QueuedMail | undefined {
    const displaced = this.mails.size < PLACES ? undefined : this.displacedBy(mail);
    this.mails.add(mail);
    if (displaced !== undefined) {
      this.remove(displaced);
    }
    return displaced;
  }

  remove(mail: QueuedMail): void {
    this.mails.delete(mail);
  }

  /** Resolves when all mails were sent or given up. */
  async emptied(): Promise<void> {
    while (this.size > 0) {
      await Promise.allSettled(this.all.map(({ done }) => done));
    }
  }

  /** @returns the new mail if no other one gives up its place */
  private displacedBy(mail: QueuedMail): QueuedMail {
    const groups = new Map<string, QueuedMail[]>();
    for (const one of this.mails) {
      if (one.notice === undefined && !one.isBusy) {
        const group = groups.get(one.group) ?? [];
        group.push(one);
        groups.set(one.group, group);
      }
    }
    const [largest = []] = [...groups.values()].sort((a, b) => b.length - a.length);
    const isEntitled =
      mail.notice === undefined
        ? largest.length > (groups.get(mail.group)?.length ?? 0) + 1
        : this.all.filter(({ notice }) => notice !== undefined).length < FOR_NOTICES;
    return (isEntitled ? largest.at(-1) : undefined) ?? mail;
  }
}
