import { describe, expect, test } from 'vitest';
import { LoadShedder } from '../../gateway/http/load-shedding.ts';

/** A service with its clock in our hand. */
function setUp() {
  let now = 0;
  const shedder = new LoadShedder(() => now);
  /** How many of so many requests are let in; they stay under way. */
  const ask = (key: string, count: number) => {
    let entered = 0;
    for (let index = 0; index < count; index += 1) {
      if (!shedder.mayBegin(key)) continue;
      shedder.begin(key, 1);
      entered += 1;
    }
    return entered;
  };
  const end = (key: string, count: number, isDone = true) => {
    for (let index = 0; index < count; index += 1) shedder.end(key, 1, isDone);
  };
  return {
    ask,
    end,
    pass(milliseconds: number) {
      now += milliseconds;
    },
    /** A second in which more is under way than ends. */
    fill() {
      expect(ask('busy', 65)).toBe(65);
      now += 1_000;
    },
  };
}

describe('a service', () => {
  test('lets everything in that comes in a burst', () => {
    const { ask, pass } = setUp();
    expect(ask('one', 200)).toBe(200);
    pass(999);
    expect(ask('another', 56)).toBe(56);
  });

  test('lets in no burst that is larger than it could bear', () => {
    const { ask } = setUp();
    expect(ask('one', 500)).toBe(256);
  });

  test('refuses a caller that has its share under way when that has been too much for a second', () => {
    const { ask, fill } = setUp();
    fill();
    expect(ask('busy', 10)).toBe(0);
  });

  test('serves eight calls of every other caller all the same', () => {
    const { ask, fill } = setUp();
    fill();
    for (let index = 0; index < 50; index += 1)
      expect(ask(`quiet ${index}`, 40)).toBeGreaterThan(7);
    expect(ask('another', 40)).toBe(8);
  });

  test('divides what may be under way between the callers', () => {
    const { ask, end, fill } = setUp();
    fill();
    expect(ask('busy', 1)).toBe(0);
    end('busy', 33);
    expect(ask('another', 100)).toBe(32);
    expect(ask('busy', 10)).toBe(0);
    end('another', 10);
    expect(ask('busy', 100)).toBe(10);
  });

  test('lets in as much as ends in a quarter of a second', () => {
    const { ask, end, pass } = setUp();
    for (let slice = 0; slice < 4; slice += 1) {
      expect(ask('busy', 200)).toBe(200);
      pass(250);
      end('busy', 200);
    }
    expect(ask('busy', 201)).toBe(201);
    pass(1_000);
    expect(ask('busy', 1)).toBe(0);
  });

  test('lets in no more because clients have left before they were answered', () => {
    const { ask, end, fill } = setUp();
    expect(ask('impatient', 200)).toBe(200);
    end('impatient', 200, false);
    fill();
    expect(ask('busy', 1)).toBe(0);
  });

  test('lets bursts in again when it has refused nobody for a second', () => {
    const { ask, end, fill, pass } = setUp();
    fill();
    expect(ask('busy', 1)).toBe(0);
    end('busy', 65);
    pass(999);
    expect(ask('busy', 200)).toBe(64);
    end('busy', 64);
    pass(1_000);
    expect(ask('busy', 200)).toBe(200);
  });
});
