/** What an id is the id of, by its prefix. */
export type IdPrefix = 'inv' | 'co' | 'key' | 'ar' | 'evt' | 'imp' | 'clm' | 'rec';

export interface Ids {
  /** `{prefix}_` and a part that must be unique, ordered by time and not guessable. */
  next(prefix: IdPrefix): string;
}
