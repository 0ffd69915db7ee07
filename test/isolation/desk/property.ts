import type { Harness } from '../harness.ts';
import type { Tally } from '../tally.ts';
import { verify } from '../verify.ts';
import { verifyLiveEvents } from './live.ts';
import { looksAtSettings, looksOfSessions } from './look.ts';
import { createDeskWorld, happenAtDesk, signIn, tryOtherSettings } from './perform-step.ts';
import type { DeskPlan } from './plan.ts';

/** After each step, every session looks at the pages that the step affects. In the end, it looks at all pages. */
export async function everySession(harness: Harness, plan: DeskPlan, tally: Tally): Promise<void> {
  const world = await createDeskWorld(harness, plan);
  const { state, desk } = world;
  for (const step of plan.steps) {
    const { company } = await happenAtDesk(world, step);
    const concerned = state.accessRequests
      .filter((accessRequest) => accessRequest.company === company)
      .slice(-1);
    await verify(world, looksOfSessions(world, desk.sessions, concerned), tally);
  }
  // Most sessions have ended by now.
  for (const contact of desk.contacts) await signIn(world, contact, null);
  for (const session of desk.sessions) await tryOtherSettings(world, session);
  await verify(world, looksOfSessions(world, desk.sessions, state.accessRequests), tally);
  await verify(world, looksAtSettings(world, desk.sessions), tally);
  await verifyLiveEvents(world, tally);
}
