/** Each call has one document, which selects every field. */
const source = 'source { system method lastSynced }';
const verification =
  'verification { verified signed signature publicKeyUrl revision signedAt sourceSignature }';
const point = `currency period ${source} ${verification} confidence value rawValue asOf revision`;
const metric = `companyId key label category ${point}`;
const connection = 'provider status accountName lastSyncedAt';
const account =
  'id: accountId companyId provider name type currency balance rawBalance lastFour lastSyncedAt';
const refusal = '... on AccessRefusal { code message documentationUrl accessRequestId }';
const terms = '{ metricKeys historyFrom use }';
const request = `id companyId requestedScopes approvedScopes pendingScopes status purpose pendingPurpose reason decidedAt expiresAt requestedTerms ${terms} approvedTerms ${terms} pendingTerms ${terms} pausedAt endedAt answerBy createdAt`;
const event = 'type createdAt actor { type id } reason approvedScopes expiresAt';
const company = 'id name access { status accessPaused approvedScopes expiresAt request { id } }';

export const fragments = { account, company, metric, point, refusal, request, source: connection };

const ofCompany = (variables: string, field: string) =>
  `query ($id: ID!${variables}) { company(id: $id) { ${field} } }`;

const ofMetric = (variables: string, fields: string) =>
  ofCompany(
    `, $key: String!${variables}`,
    `answer: metric(key: $key) { __typename ... on Metric { ${fields} } ${refusal} }`,
  );

export const documents = {
  companies: `{ companies { nodes { ${company} } } }`,
  companiesWith: `query ($access: CompanyAccessStatus) { companies(access: $access) { nodes { ${company} } } }`,
  companiesOf: `query ($ids: [ID!]) { companies(ids: $ids, first: 200) { nodes { ${company} } } }`,
  company: `query ($id: ID!) { company(id: $id) { ${company} } }`,
  accessRequests: `query ($status: AccessRequestStatus) { accessRequests(status: $status) { nodes { ${request} } } }`,
  accessRequest: `query ($id: ID!) { accessRequest(id: $id) { ${request} } }`,
  requestAccess: `mutation ($input: RequestAccessInput!) {
    requestAccess(input: $input) { outcome replayed accessRequest { ${request} } } }`,
  amendAccessRequest: `mutation ($input: AmendAccessRequestInput!) {
    amendAccessRequest(input: $input) { accessRequest { ${request} } } }`,
  withdrawAccessRequest: `mutation ($input: WithdrawAccessRequestInput!) {
    withdrawAccessRequest(input: $input) { accessRequest { ${request} } } }`,
  requestHistory: `query ($id: ID!) { accessRequest(id: $id) { history { ${event} } } }`,
  receipts: `query ($id: ID!) { accessRequest(id: $id) { receipts { id jws } } }`,
  metrics: ofCompany(
    ', $keys: [String!]',
    `answer: metrics(keys: $keys) { __typename ... on CompanyMetrics { metrics { ${metric} } } ${refusal} }`,
  ),
  metric: ofMetric('', metric),
  history: ofMetric(
    ', $from: Date, $to: Date',
    `companyId key label category history(from: $from, to: $to) { ${point} }`,
  ),
  histories: ofCompany(
    ', $keys: [String!]!, $from: Date, $to: Date',
    `answer: metricHistories(keys: $keys, from: $from, to: $to) { __typename
      ... on MetricHistories { histories { key label category values { ${point} } } } ${refusal} }`,
  ),
  revisions: ofMetric(
    '',
    `companyId key label category revisions { ${point} } history { revisions { ${point} } }`,
  ),
  sources: ofCompany(
    '',
    `answer: sources { __typename ... on CompanySources {
      sources { ${connection} } } ${refusal} }`,
  ),
  accounts: ofCompany(
    '',
    `answer: accounts { __typename ... on CompanyAccounts {
      accounts { ${account} } } ${refusal} }`,
  ),
} as const;

/** The key is the prefix of the node's ID. */
const nodes: Readonly<Record<string, string>> = {
  co: `... on Company { ${company} }`,
  ar: `... on AccessRequest { ${request} }`,
  metric: `... on Metric { ${metric} }`,
  source: `... on Source { ${connection} }`,
  account: `... on Account { ${account.replace('id: ', '')} }`,
};

export const nodeDocument = (id: string): string =>
  `query ($id: ID!) { node(id: $id) { __typename id ${nodes[id.split('_')[0] ?? ''] ?? ''} } }`;
