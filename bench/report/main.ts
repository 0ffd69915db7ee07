import { readOptions } from '../options.ts';
import { writeReport } from './index.ts';

/** Makes the report again from the raw results that are there. */
const { out } = readOptions({}, {});
process.stdout.write(`${writeReport(out)}\n`);
