import {
  findExcess,
  type LimitedKind,
  maxPerCompany,
} from '../../model/company-data/data-limits.ts';
import { Refusal } from '../../model/errors.ts';
import { createDataEvents, createStaleEvents } from '../../model/events/data-event.ts';
import type { CreateChangeEvents, CreateStaleEvents } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

export const messageOfExcess = (companyId: string, kind: LimitedKind): string =>
  `${companyId} would have more than ${maxPerCompany[kind]} ${kind}`;

/** The company would exceed a limit. */
export class ExcessOfData extends Refusal {
  readonly kind: LimitedKind;
  /** The new items of that kind, by `limitedItemOf`. */
  readonly added: ReadonlySet<string>;

  constructor(companyId: string, kind: LimitedKind, added: readonly string[]) {
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
export const changeEventsWith =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): CreateChangeEvents =>
  (change) => {
    const excess = findExcess(change);
    if (excess !== null) throw new ExcessOfData(change.companyId, excess, change.added[excess]);
    return createDataEvents(change, () => ids.next('evt'), clock.now());
  };

/** Creates the events of sources that became stale. */
export const staleEventsWith =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): CreateStaleEvents =>
  (stale) =>
    createStaleEvents(stale, () => ids.next('evt'), clock.now());
