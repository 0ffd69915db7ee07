/** Company data that was read, and how it is presented when that has not been done yet. */
export interface Reading<Presented> {
  readonly data: object;
  toJSON(): Presented;
}

/** A procedure that returns this is typed, by tRPC as well, as returning what is presented. */
export function reading<Data extends object, Presented>(
  data: Data,
  present: (data: Data) => Presented,
): Reading<Presented> {
  return { data, toJSON: () => present(data) };
}

export function isReading(result: object): result is Reading<unknown> {
  return 'toJSON' in result;
}
