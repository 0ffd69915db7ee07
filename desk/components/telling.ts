import type { AccessEvent } from '#core';
import type { Messages } from '../messages/index.ts';

/** Who made a change, in words. */
export type TellActor = (event: Pick<AccessEvent, 'type' | 'actor'>) => string;

/** How a history is told to the side that reads it. */
export interface Telling extends Pick<Messages, 'statuses'> {
  readonly tellActor: TellActor;
}
