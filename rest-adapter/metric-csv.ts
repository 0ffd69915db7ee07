/** For the document. */
export const csvDescription =
  'One line per value, after a header with the JSON names (`source.system` for nested fields), and `revision`, `signed_at` and `key_id`. `raw_value` has every digit. A cell that a spreadsheet would read as a formula starts with an additional apostrophe: remove it. This service adds the CSV form to the contract.';
