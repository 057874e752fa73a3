import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

interface Entry {
  readonly group: string;
  readonly name: string;
}

function queueOf(places: number, ...names: string[]): FairQueue<Entry> {
  const queue = new FairQueue<Entry>(places);
  names.forEach((name) => queue.add(entry(name)));
  return queue;
}

/** `a1` is of the group `a`. */
function entry(name: string): Entry {
  return { group: name.charAt(0), name };
}

function emptied(queue: FairQueue<Entry>): string[] {
  return Array.from({ length: queue.length }, () => queue.take()?.name ?? '');
}

describe('FairQueue', () => {
  it('lets groups take turns', () => {
    const names = emptied(queueOf(9, 'a1', 'a2', 'a3', 'b1', 'c1', 'b2'));
    expect(names).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('passes over groups whose turn it is not', () => {
    const queue = queueOf(9, 'a1', 'b1', 'a2');
    expect(queue.take((group) => group !== 'a')?.name).toBe('b1');
    expect(queue.take((group) => group !== 'a')).toBeUndefined();
    expect(emptied(queue)).toEqual(['a1', 'a2']);
  });

  it('replaces the last entry of the largest group when it is full', () => {
    const queue = queueOf(3, 'a1', 'a2', 'a3');
    expect(queue.isFull).toBe(true);
    expect(queue.add(entry('b1'))?.name).toBe('a3');
    expect(emptied(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('replaces an entry of a group that is larger by two, which makes both equally large', () => {
    expect(queueOf(2, 'a1', 'a2').add(entry('b1'))?.name).toBe('a2');
  });

  it('refuses an entry whose group would be the largest', () => {
    const queue = queueOf(3, 'a1', 'a2', 'b1');
    expect(queue.add(entry('b2'))?.name).toBe('b2');
    expect(queue.add(entry('a3'))?.name).toBe('a3');
    expect(queue.length).toBe(3);
  });

  it('drops entries, and the places that they had', () => {
    const queue = queueOf(4, 'a1', 'a2', 'b1', 'c1');
    expect(queue.drop(({ name }) => name.endsWith('1')).map(({ name }) => name)).toEqual(['a1', 'b1', 'c1']);
    expect(queue.length).toBe(1);
    expect(emptied(queue)).toEqual(['a2']);
    expect(queue.take()).toBeUndefined();
  });
});
