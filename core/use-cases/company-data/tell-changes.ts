import { findExcess, type HeldKind, mostHeld } from '../../model/company-data/held-data.ts';
import { Refusal } from '../../model/errors.ts';
import { createDataEvents, createStaleEvents } from '../../model/events/data-event.ts';
import type { TellChange, TellLapse } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

export const messageOfExcess = (companyId: string, kind: HeldKind): string =>
  `${companyId} would have more than ${mostHeld[kind]} ${kind}`;

/** The company would exceed a limit. */
export class ExcessOfData extends Refusal {
  readonly kind: HeldKind;
  /** The new items of that kind, by `nameOfHeld`. */
  readonly added: ReadonlySet<string>;

  constructor(companyId: string, kind: HeldKind, added: readonly string[]) {
    super('invalid_records', { message: messageOfExcess(companyId, kind) });
    this.kind = kind;
    this.added = new Set(added);
  }
}

/**
 * Creates the events of a change by an import or a push.
 *
 * @throws ExcessOfData
 */
export const tellChanges =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): TellChange =>
  (change) => {
    const excess = findExcess(change);
    if (excess !== null) throw new ExcessOfData(change.companyId, excess, change.added[excess]);
    return createDataEvents(change, () => ids.next('evt'), clock.now());
  };

/** Creates the events of sources that became stale. */
export const tellLapses =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): TellLapse =>
  (lapse) =>
    createStaleEvents(lapse, () => ids.next('evt'), clock.now());
