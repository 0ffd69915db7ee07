import { setTimeout } from 'node:timers/promises';
import { type Attack, answered, crewOf, happened, type World } from '../attack.ts';
import { createKeys, type Party } from '../parties.ts';
import { get } from '../requests.ts';

const streams = 2_000;
const changesPerSecond = 90;
const milliseconds = 8_000;

/** The number of API keys. A single key's rate limit would be too low for all streams or for all changes. */
const keys = { streams: 4, changes: 4 };

let secrets: readonly string[] = [];
let changes = 0;

/** Creates an access request and withdraws it, which creates two events. */
async function change(port: number, { companies }: Party, key: string, number: number) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/v1/access-requests`;
  // Uses the last companies of the portfolio, because they have no access request yet.
  const body = { company_id: companies.at(-1 - (number % 50)), scopes: ['metrics:read'] };
  const made = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const { id } = (await made.json()) as { id?: string };
  if (made.status !== 201 || id === undefined) return;
  const withdrawn = await fetch(`${url}/${id}`, {
    method: 'DELETE',
    headers: { authorization: headers.authorization },
  });
  await withdrawn.arrayBuffer();
  changes += withdrawn.status === 200 ? 2 : 1;
}

export const fanOut: Attack = {
  name: 'fan-out',
  what: `${streams} event streams of one investor, by ${keys.streams} keys, and ${changesPerSecond} changes a second that each stream receives.`,
  async prepare({ databaseUrl, parties: [party] }: World) {
    secrets = await createKeys(databaseUrl, party, keys.streams + keys.changes);
    changes = 0;
  },
  crews: ({ atMost }) => [
    {
      name: 'streams',
      requests: secrets
        .slice(0, keys.streams)
        .map((key) => ({ ...get('/v1/events', key), headers: { accept: 'text/event-stream' } })),
      connections: atMost(streams),
      maxRequests: streams,
      isStream: true,
    },
  ],
  async begin({ port, parties: [party], atMost }) {
    const pause = (2 * 1_000) / changesPerSecond;
    const underWay: Promise<void>[] = [];
    const pairs = atMost(Math.floor(milliseconds / pause));
    for (let number = 0; number < pairs; number += 1) {
      const key = secrets[keys.streams + (number % keys.changes)] as string;
      underWay.push(change(port, party, key, number));
      await setTimeout(pause);
    }
    await Promise.allSettled(underWay);
  },
  judge: (outcome) => [
    happened('streams that were open', answered(outcome, 'streams', 200)),
    happened('changes', changes),
    happened('events that were handed out', crewOf(outcome, 'streams').marked),
  ],
};
