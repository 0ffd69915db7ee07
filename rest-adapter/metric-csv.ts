/** For the document. */
export const csvDescription =
  'A line for each value, after a header of names as in JSON, with a point for what lies inside (`source.system`), and `revision`, `signed_at` and `key_id`. `raw_value` has every digit. A cell that a spreadsheet would take for a formula has an apostrophe before it; take away the one that a cell begins with. **An addition of this service.**';
