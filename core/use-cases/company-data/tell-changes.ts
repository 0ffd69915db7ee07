import { createDataEvents, createStaleEvents } from '../../model/events/data-event.ts';
import type { TellChange, TellLapse } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

/** Makes the events of what an import or a push changes. */
export const tellChanges =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): TellChange =>
  (change) =>
    createDataEvents(change, () => ids.next('evt'), clock.now());

/** Makes the events of sources that have become stale. */
export const tellLapses =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): TellLapse =>
  (lapse) =>
    createStaleEvents(lapse, () => ids.next('evt'), clock.now());
