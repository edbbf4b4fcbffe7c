import { expect, jest, test } from '@jest/globals';
import { startLeaseClock } from '../../worker/host/lease-clock.ts';

const LOOK_MS = 250;

/** A clock of a minute's lease. `pass` lets time go by in looks, `sleep` all at once. */
async function withClock(
  use: (room: {
    clock: ReturnType<typeof startLeaseClock>;
    pass(seconds: number): void;
    sleep(seconds: number): void;
    ended(): number;
    drain(): void;
  }) => void,
): Promise<void> {
  jest.useFakeTimers();
  let at = 0;
  let ended = 0;
  let isDraining = false;
  const clock = startLeaseClock({
    leaseMinutes: () => 1,
    isDraining: () => isDraining,
    onOver: () => (ended += 1),
    now: () => at,
  });
  const look = (ms: number) => {
    at += ms;
    jest.advanceTimersByTime(LOOK_MS);
  };
  try {
    use({
      clock,
      pass: (seconds) => {
        for (let gone = 0; gone < seconds * 1000; gone += LOOK_MS) look(LOOK_MS);
      },
      sleep: (seconds) => look(seconds * 1000),
      ended: () => ended,
      drain: () => (isDraining = true),
    });
  } finally {
    clock.stop();
    jest.useRealTimers();
  }
}

test('without contact everything is ended when the lease is over, while a request still hangs', () =>
  withClock(({ pass, ended }) => {
    pass(60);
    expect(ended()).toBe(0);
    pass(0.5);
    expect(ended()).toBeGreaterThan(0);
  }));

test('contact counts from when it was asked for, not from when it was answered', () =>
  withClock(({ clock, pass, ended }) => {
    const asked = clock.now();
    pass(50);
    clock.heardSince(asked);
    pass(11);
    expect(ended()).toBeGreaterThan(0);
  }));

test('after a sleep the server is asked before anything is ended, and without an answer it is', () =>
  withClock(({ clock, pass, sleep, ended }) => {
    sleep(3600);
    pass(9);
    expect(ended()).toBe(0);
    clock.heardSince(clock.now());
    pass(59);
    expect(ended()).toBe(0);
    sleep(3600);
    pass(11);
    expect(ended()).toBeGreaterThan(0);
  }));

test('a host that lets its agents finish does so without contact', () =>
  withClock(({ drain, pass, ended }) => {
    drain();
    pass(120);
    expect(ended()).toBe(0);
  }));
