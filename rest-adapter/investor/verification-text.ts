export const verificationText = `**Verification**: every metric is signed. Any reader can verify it years later, without this service. To verify a metric by hand, take the example of \`GET /v1/companies/{id}/metrics/{key}\`. Its \`verification.signature\` has three parts, separated by dots. Decode the first part from base64url. It names the algorithm, the key and the type:

\`\`\`json
{"alg":"EdDSA","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","typ":"metric+jws"}
\`\`\`

The second part, decoded in the same way, contains the signed fields:

\`\`\`json
{"v":1,"environment":"live","company_id":"co_harbor","key":"cash_balance","period":"2026-10-31","raw_value":"4182300.55","currency":"USD","as_of":"2026-10-31T23:59:59.000Z","source":{"system":"Mercury","method":"api","last_synced":"2026-11-01T04:00:00.000Z"},"revision":1,"signed_at":"2026-11-01T04:05:00.000Z"}
\`\`\`

The third part is the Ed25519 signature of the text before the second dot. Check the signature with the key that the \`kid\` names. The key set at [/.well-known/jwks.json](/.well-known/jwks.json) contains this key. You can read the key set without an API key. The example is signed with the key of RFC 8037:

\`\`\`json
{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","alg":"EdDSA","use":"sig"}
\`\`\`

Then compare each signed field with the metric, character by character. Compare the signed \`raw_value\` with \`raw_value_text\`. A valid signature of another value proves nothing. \`label\`, \`category\`, \`confidence\`, \`value\` and \`verified\` are not signed. Any JOSE library can check the signature. The package \`portfolio-access-verify\` and the command \`verify\` also compare the fields, and verify consent receipts.`;
