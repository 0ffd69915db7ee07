import type { Stage } from '../stage.ts';
import type { Tally } from '../tally.ts';
import { verify } from '../verify.ts';
import { happenAtDesk, meddle, putUpDesk, signIn } from './happen.ts';
import { verifyLiveEvents } from './live.ts';
import { looksAtSettings, looksOfSessions } from './look.ts';
import type { DeskPlan } from './plan.ts';

/** After each thing that happens every session looks at what it concerned, and in the end at everything. */
export async function everySession(stage: Stage, plan: DeskPlan, tally: Tally): Promise<void> {
  const world = await putUpDesk(stage, plan);
  const { chronicle, desk } = world;
  for (const step of plan.steps) {
    const { firm } = await happenAtDesk(world, step);
    const concerned = chronicle.askings.filter((asking) => asking.firm === firm).slice(-1);
    await verify(world, looksOfSessions(world, desk.sessions, concerned), tally);
  }
  // Most sessions are over by now.
  for (const contact of desk.contacts) await signIn(world, contact, null);
  for (const session of desk.sessions) await meddle(world, session);
  await verify(world, looksOfSessions(world, desk.sessions, chronicle.askings), tally);
  await verify(world, looksAtSettings(world, desk.sessions), tally);
  await verifyLiveEvents(world, tally);
}
