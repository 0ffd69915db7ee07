// Builds the package of the verifier. It depends only on jose.
import { bundle } from './bundle.mjs';

await bundle('verify', { dependencies: ['jose'] });
