/**
 * The allowed imports between folders. The core imports no other folder. The adapters and the database import the core.
 * Only the tests, the gateway and the command line, which assemble everything, import all of them. Other folders import
 * only the index.ts of a folder. The client and the verifier are separate packages: the client imports types of two
 * folders, the verifier imports nothing of the service.
 */
const folders = '^(core|db|http|(?:rest|graphql|trpc|mcp)-adapter|desk|gateway|cli|demo)/';

export default {
  forbidden: [
    {
      name: 'core-imports-nothing',
      comment:
        'The rules must not depend on a transport, a store or a platform. Ask for a port instead. zod alone is let in, for the inputs.',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: ['^core/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'model-stands-on-nothing',
      comment: 'What things are and which rules hold of them depends on no port and no use case.',
      severity: 'error',
      from: { path: '^core/model/' },
      to: { path: '^core/', pathNot: '^core/model/' },
    },
    {
      name: 'ports-stand-on-the-model',
      comment: 'A port says what the use cases need of the world, in the words of the model.',
      severity: 'error',
      from: { path: '^core/ports/' },
      to: { path: '^core/', pathNot: '^core/(ports|model)/' },
    },
    {
      name: 'use-cases-know-no-audience',
      comment: 'Who may do what is decided above: an act is told whose it is.',
      severity: 'error',
      from: { path: '^core/use-cases/' },
      to: { path: '^core/', pathNot: '^core/(use-cases|ports|model)/' },
    },
    {
      name: 'audiences-know-no-index',
      comment: 'The index.ts of the core stands above every layer of it.',
      severity: 'error',
      from: { path: '^core/audiences/' },
      to: { path: '^core/index\\.ts$' },
    },
    {
      name: 'no-circle-of-use-cases',
      comment: 'Two folders of use cases that need each other are one subject, or hide a third.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^core/use-cases/' },
      to: { circular: true },
    },
    {
      name: 'adapters-know-the-core-and-http',
      comment:
        'An adapter, the desk among them, parses, calls one use case and presents; what all of them need of HTTP stands in http. It reaches no store, no other adapter and not the gateway.',
      severity: 'error',
      from: { path: '^((?:rest|graphql|trpc|mcp)-adapter|desk)/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['node_modules/', '^$1/', '^(core|http)/index\\.ts$'],
      },
    },
    {
      name: 'desk-has-two-sides',
      comment:
        'The pages of companies and those of investors know nothing of each other; what both need stands beside them.',
      severity: 'error',
      from: { path: '^desk/(company|investor)/' },
      to: { path: '^desk/(company|investor)/', pathNot: '^desk/$1/' },
    },
    {
      name: 'client-loads-nothing-of-the-service',
      comment:
        'Who imports the client gets tRPC’s client, a parser of events and nothing of the service. The types of the router and of what the core names may be known: the build writes them out.',
      severity: 'error',
      from: { path: '^client/' },
      to: {
        pathNot: ['^client/', '(^|/)node_modules/(@trpc/(client|server)|eventsource-parser)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client-knows-two-folders',
      comment: 'By type the client knows what the core and the router offer, and nothing else.',
      severity: 'error',
      from: { path: '^client/' },
      to: {
        dependencyTypes: ['type-only'],
        pathNot: [
          '^client/',
          '(^|/)node_modules/(@trpc|eventsource-parser)/',
          '^(core|trpc-adapter)/index\\.ts$',
        ],
      },
    },
    {
      name: 'nobody-needs-the-client',
      comment: 'The client is a package of its own, for those outside.',
      severity: 'error',
      from: { path: folders },
      to: { path: '^client/' },
    },
    {
      name: 'verifier-knows-nobody',
      comment:
        'Whoever trusts none of our code reads this one: it shares nothing with the service, and needs jose alone.',
      severity: 'error',
      from: { path: '^verify/' },
      to: { pathNot: ['^verify/', '(^|/)node_modules/jose/'] },
    },
    {
      name: 'only-the-command-line-verifies',
      comment: 'The service signs; the verifier is for those outside, and for the command verify.',
      severity: 'error',
      from: { path: folders, pathNot: '^cli/' },
      to: { path: '^verify/' },
    },
    {
      name: 'http-knows-only-the-core',
      comment: 'What every adapter over HTTP needs knows none of them.',
      severity: 'error',
      from: { path: '^http/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['node_modules/', '^http/', '^core/index\\.ts$'],
      },
    },
    {
      name: 'db-knows-only-the-core',
      comment: 'The database keeps the promises of the ports and knows nothing else.',
      severity: 'error',
      from: { path: '^db/' },
      to: { dependencyTypesNot: ['core'], pathNot: ['node_modules/', '^db/', '^core/index\\.ts$'] },
    },
    {
      name: 'import-by-index',
      comment:
        'What a folder offers to others stands in its index.ts; no other file of it is imported from outside.',
      severity: 'error',
      from: { path: '^(gateway|cli|demo)/' },
      to: {
        path: [folders, '^verify/'],
        pathNot: ['^(gateway|$1)/', '^[a-z-]+/index\\.ts$'],
      },
    },
    {
      name: 'demo-fills-through-the-core',
      comment: 'The demo is data: it writes through the use cases, as anybody would.',
      severity: 'error',
      from: { path: '^demo/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['node_modules/', '^demo/', '^(core|db)/index\\.ts$'],
      },
    },
    {
      name: 'an-example-stands-alone',
      comment: 'Whoever copies the folder needs packages at most, and nothing of ours.',
      severity: 'error',
      from: { path: '^examples/([^/]+)/' },
      to: { path: '^[\\w.-]+/.*\\.[cm]?tsx?$', pathNot: ['node_modules/', '^examples/$1/'] },
    },
    {
      name: 'nobody-needs-the-command-line',
      comment: 'It stands at the top, beside the service.',
      severity: 'error',
      from: { pathNot: '^(cli|test|bench)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'import-by-subpath-name',
      comment:
        'Write #core, not ../core/index.ts: the name holds wherever a file moves, and in what is built. Only the client cannot: names end at its own package.json.',
      severity: 'error',
      from: { path: folders },
      to: {
        path: '^(core|db|http|(?:rest|graphql|trpc|mcp)-adapter|desk|demo|verify)/',
        pathNot: ['^$1/'],
        dependencyTypesNot: ['aliased-subpath-import'],
      },
    },
    {
      name: 'no-import-of-tests',
      comment: 'What runs must not depend on its tests.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-development-package',
      comment: 'What runs must not need a package that only developers have.',
      severity: 'error',
      from: { path: folders },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycle',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that cannot be resolved would pass every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'tsc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    },
  },
};
