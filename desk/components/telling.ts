import type { AccessEvent } from '#core';
import type { Messages } from '../messages/index.ts';

/** Who made a change, in words. */
export type TellActor = (event: {
  readonly type: AccessEvent['type'];
  readonly actor: Pick<AccessEvent['actor'], 'type' | 'id'>;
}) => string;

/** How a history is told to the side that reads it. */
export interface Telling extends Pick<Messages, 'statuses'> {
  readonly tellActor: TellActor;
  /** What the receipts are, above them. */
  readonly lead: string;
}
