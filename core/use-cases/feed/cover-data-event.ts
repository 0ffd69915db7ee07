import { coverageOf } from '../../model/consent/access-policy.ts';
import { type GrantableScope, grantableScopes } from '../../model/consent/scopes.ts';
import { type FeedEvent, isRequestEvent } from '../../model/events/access-event.ts';
import { narrowDataEvent } from '../../model/events/data-event.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Ports } from '../../ports/index.ts';

/** Returns the scopes that allow reading data. Without a key, returns all of these scopes. */
export const dataScopesOf = (scopes: readonly string[] | undefined): readonly GrantableScope[] =>
  scopes === undefined
    ? grantableScopes
    : grantableScopes.filter((scope) => scopes.includes(scope));

/**
 * Returns the event with only the data that the reader may see now. An investor needs a live grant for each kind of
 * data in the event. Returns null if the reader may see nothing.
 */
export const coverDataEvent =
  ({ directory, clock }: Ports) =>
  async (
    reader: OwnerOrOperator,
    scopes: readonly GrantableScope[],
    event: FeedEvent,
  ): Promise<FeedEvent | null> => {
    if (isRequestEvent(event) || reader === null || 'companyId' in reader) return event;
    const entry = await directory.findInPortfolio(reader.investorId, event.companyId);
    if (entry === null) return null;
    const facts = { isInPortfolio: true, newestRequest: entry.newestRequest };
    const coverage = coverageOf(facts, clock.now());
    const covered = coverage.scopes.filter((scope) => scopes.includes(scope));
    return narrowDataEvent(event, { ...coverage, scopes: covered });
  };
