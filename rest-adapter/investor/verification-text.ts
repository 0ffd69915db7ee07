export const verificationText = `**Verification**: every metric is signed. Any reader can verify it years later, without this service. By hand, with the example of \`GET /v1/companies/{id}/metrics/{key}\`: its \`verification.signature\` has three parts with dots between them. Decoded from base64url, the first says how it is signed:

\`\`\`json
{"alg":"EdDSA","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","typ":"metric+jws"}
\`\`\`

The second is what is signed:

\`\`\`json
{"v":1,"environment":"live","company_id":"co_harbor","key":"cash_balance","period":"2026-10-31","raw_value":"4182300.55","currency":"USD","as_of":"2026-10-31T23:59:59.000Z","source":{"system":"Mercury","method":"api","last_synced":"2026-11-01T04:00:00.000Z"},"revision":1,"signed_at":"2026-11-01T04:05:00.000Z"}
\`\`\`

The third is the Ed25519 signature of the text before the second dot. Check it by the key of the \`kid\` in the key set at [/.well-known/jwks.json](/.well-known/jwks.json), which needs no API key; for the example it is that of RFC 8037:

\`\`\`json
{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","alg":"EdDSA","use":"sig"}
\`\`\`

Then compare each field with the metric, character by character, and \`raw_value\` with \`raw_value_text\`: a good signature of another value proves nothing. \`label\`, \`category\`, \`confidence\`, \`value\` and \`verified\` are not signed. Any JOSE library does the first half; the package \`portfolio-access-verify\` and \`verify\` on the command line do all of it, receipts of a consent included.`;
