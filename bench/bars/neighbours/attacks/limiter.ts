import { Redis } from 'ioredis';
import { historyPath, metricsPath } from '../../../workloads.ts';
import {
  type Attack,
  answered,
  type Crew,
  happened,
  isAtMost,
  type Outcome,
  type World,
} from '../attack.ts';
import { type Party, pointsOfKey } from '../parties.ts';
import { get } from '../requests.ts';

const pauseMilliseconds = 2_000;

const readsBeyondLimit = ({ parties: [{ key, granted }], atMost }: World): Crew => ({
  name: 'reads',
  requests: granted.map((company) => get(metricsPath(company), key)),
  connections: 64,
  // Sends more HTTP requests than the rate limit allows, even in a smoke run.
  maxRequests: Math.max(2 * pointsOfKey, atMost(60_000)),
  isStubborn: true,
});

const histories = (name: string, { key, granted }: Party, { atMost }: World): Crew => ({
  name,
  requests: granted.map((company) => get(historyPath(company), key)),
  connections: 8,
  maxRequests: atMost(600),
});

const judge = (outcome: Outcome) => [
  happened('reads that were refused', answered(outcome, 'reads', 429)),
  isAtMost('reads that the limiter let pass', answered(outcome, 'reads', 200), pointsOfKey),
];

export const busyLimiter: Attack = {
  name: 'busy-limiter',
  what: 'Reads of one key in 64 loops that go on past its limit, while two others read histories in 8 loops each.',
  asksForMuch: true,
  crews: (world) => [
    readsBeyondLimit(world),
    histories('histories', world.parties[1], world),
    histories('more histories', world.parties[2], world),
  ],
  judge,
};

export const pausedRedis: Attack = {
  name: 'paused-redis',
  what: `Reads of one key in 64 loops that go on past its limit, while Redis stands still for ${pauseMilliseconds / 1_000} s.`,
  needsOwnRedis: true,
  crews: (world) => [readsBeyondLimit(world)],
  async begin({ redisUrl }) {
    // Waits a moment, so that Redis pauses when part of the rate limit is already used.
    await new Promise((resolve) => setTimeout(resolve, 60));
    const redis = new Redis(redisUrl);
    await redis.client('PAUSE', pauseMilliseconds, 'ALL');
    redis.disconnect();
  },
  judge,
};
