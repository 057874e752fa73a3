import { beforeEach, describe, expect, it } from '@jest/globals';
import { type SilentClient, SilentClients } from './silent.clients.js';

let displaced: string[];
beforeEach(() => {
  displaced = [];
});

/** `a1` is of the network `a`. */
const client = (name: string): SilentClient => ({
  network: name.charAt(0),
  displace: () => void displaced.push(name),
});

/** Who loses a place when clients come in this order. */
function coming(places: number, ...names: string[]): string[] {
  const silent = new SilentClients(places);
  displaced = [];
  names.forEach((name) => silent.add(client(name)));
  return displaced;
}

describe('silent clients', () => {
  it('all have a place while there are enough', () => {
    expect(coming(4, 'a1', 'a2', 'b1', 'b2')).toEqual([]);
  });

  it('have half of the places per network, where the oldest one goes first', () => {
    expect(coming(4, 'a1', 'a2', 'a3', 'a4', 'b1')).toEqual(['a1', 'a2']);
    expect(coming(1, 'a1', 'a2', 'b1')).toEqual(['a1', 'a2']);
  });

  it('lose that of the oldest one of the largest network to a new one when all are taken', () => {
    expect(coming(4, 'b1', 'a1', 'a2', 'c1', 'd1')).toEqual(['a1']);
  });

  it('lose that of the oldest one among networks of the same size', () => {
    expect(coming(3, 'a1', 'b1', 'c1', 'd1', 'e1')).toEqual(['a1', 'b1']);
    expect(coming(4, 'a1', 'b1', 'b2', 'a2', 'c1')).toEqual(['a1']);
  });

  it('lose that of the new one’s own network if that is the largest with it', () => {
    expect(coming(4, 'a1', 'b1', 'c1', 'd1', 'd2')).toEqual(['d1']);
  });

  it('leave their place once, when they speak or go', () => {
    const silent = new SilentClients(2);
    const [a, b] = [client('a1'), client('b1')];
    [a, b].forEach((each) => silent.add(each));
    [a, a].forEach((each) => silent.remove(each));
    silent.add(client('c1'));
    expect(displaced).toEqual([]);
    silent.add(client('d1'));
    expect(displaced).toEqual(['b1']);
  });
});
