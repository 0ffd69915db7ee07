import type { AccessEvent } from '#core';

/** Describes who made a change. */
export type DescribeActor = (event: {
  readonly type: AccessEvent['type'];
  readonly actor: Pick<AccessEvent['actor'], 'type' | 'id'>;
}) => string;
