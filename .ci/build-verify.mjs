// Builds the npm package of the verifier, whose only dependency is jose.
import { bundle } from './bundle.mjs';

await bundle('verify', { dependencies: ['jose'] });
