// Builds the package of the verifier from verify/, which needs jose and nothing of the service.
import { bundle } from './bundle.mjs';

await bundle('verify', { dependencies: ['jose'] });
