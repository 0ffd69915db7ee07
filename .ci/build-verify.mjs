// Builds the package of the verifier from verify/, which needs jose and nothing of the house.
import { bundle } from './bundle.mjs';

await bundle('verify', { dependencies: ['jose'] });
