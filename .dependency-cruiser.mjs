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
      comment: 'The types and rules of the model depend on no port and no use case.',
      severity: 'error',
      from: { path: '^core/model/' },
      to: { path: '^core/', pathNot: '^core/model/' },
    },
    {
      name: 'ports-stand-on-the-model',
      comment: 'A port declares what the use cases need from outside, in the types of the model.',
      severity: 'error',
      from: { path: '^core/ports/' },
      to: { path: '^core/', pathNot: '^core/(ports|model)/' },
    },
    {
      name: 'use-cases-know-no-audience',
      comment:
        'The audiences decide who may call a use case. The use case gets the owner as an argument.',
      severity: 'error',
      from: { path: '^core/use-cases/' },
      to: { path: '^core/', pathNot: '^core/(use-cases|ports|model)/' },
    },
    {
      name: 'audiences-know-no-index',
      comment: 'The index.ts of the core exports all layers, so no layer imports it.',
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
        'An adapter (the desk is one too) parses, calls one use case and presents the result. Shared HTTP code is in http. An adapter imports no store, no other adapter and not the gateway.',
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
        'The pages of companies and the pages of investors do not import each other. Shared code is in the folder above them.',
      severity: 'error',
      from: { path: '^desk/(company|investor)/' },
      to: { path: '^desk/(company|investor)/', pathNot: '^desk/$1/' },
    },
    {
      name: 'client-loads-nothing-of-the-service',
      comment:
        'The client contains tRPC’s client and a parser of events, but no code of the service. It may import types of the router and the core, because the build writes them out.',
      severity: 'error',
      from: { path: '^client/' },
      to: {
        pathNot: ['^client/', '(^|/)node_modules/(@trpc/(client|server)|eventsource-parser)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client-knows-two-folders',
      comment: 'From the core and the router, the client imports only types.',
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
      comment: 'The client is a separate package for users of the service.',
      severity: 'error',
      from: { path: folders },
      to: { path: '^client/' },
    },
    {
      name: 'verifier-knows-nobody',
      comment:
        'Auditors read this code instead of trusting the service. So it shares no code with the service and needs only jose.',
      severity: 'error',
      from: { path: '^verify/' },
      to: { pathNot: ['^verify/', '(^|/)node_modules/jose/'] },
    },
    {
      name: 'only-the-command-line-verifies',
      comment: 'The service signs. The verifier is for its users, and for the command verify.',
      severity: 'error',
      from: { path: folders, pathNot: '^cli/' },
      to: { path: '^verify/' },
    },
    {
      name: 'http-knows-only-the-core',
      comment: 'Code in http/ must not import an adapter.',
      severity: 'error',
      from: { path: '^http/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['node_modules/', '^http/', '^core/index\\.ts$'],
      },
    },
    {
      name: 'db-knows-only-the-core',
      comment: 'The database implements the ports, so it imports only the core.',
      severity: 'error',
      from: { path: '^db/' },
      to: { dependencyTypesNot: ['core'], pathNot: ['node_modules/', '^db/', '^core/index\\.ts$'] },
    },
    {
      name: 'import-by-index',
      comment:
        'The index.ts of a folder exports everything that other folders use. They import no other file of it.',
      severity: 'error',
      from: { path: '^(gateway|cli|demo)/' },
      to: {
        path: [folders, '^verify/'],
        pathNot: ['^(gateway|$1)/', '^[a-z-]+/index\\.ts$'],
      },
    },
    {
      name: 'demo-fills-through-the-core',
      comment: 'The demo is data. It writes through the use cases, like any caller.',
      severity: 'error',
      from: { path: '^demo/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['node_modules/', '^demo/', '^(core|db)/index\\.ts$'],
      },
    },
    {
      name: 'an-example-stands-alone',
      comment:
        'A copy of the folder must work elsewhere: it may need packages, but no file of this repository.',
      severity: 'error',
      from: { path: '^examples/([^/]+)/' },
      to: { path: '^[\\w.-]+/.*\\.[cm]?tsx?$', pathNot: ['node_modules/', '^examples/$1/'] },
    },
    {
      name: 'nobody-needs-the-command-line',
      comment: 'The command line is an entry point, like the service.',
      severity: 'error',
      from: { pathNot: '^(cli|test|bench)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'import-by-subpath-name',
      comment:
        'Write #core, not ../core/index.ts: the name stays valid after a move and in the build. Only the client cannot use these names, because it has its own package.json.',
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
      comment: 'Production code must not depend on tests.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-development-package',
      comment: 'Production code must not need a development package.',
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
