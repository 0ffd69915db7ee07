import type { AccessEvent } from '#core';
import type { Messages } from '../messages/index.ts';

/** Describes who made a change. */
export type TellActor = (event: {
  readonly type: AccessEvent['type'];
  readonly actor: Pick<AccessEvent['actor'], 'type' | 'id'>;
}) => string;

/** The words of a history, which depend on the side of the reader. */
export interface Telling extends Pick<Messages, 'statuses'> {
  readonly tellActor: TellActor;
  /** Explains the receipts, above their list. */
  readonly lead: string;
}
