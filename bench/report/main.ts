import { readOptions } from '../options.ts';
import { writeReport } from './index.ts';

/** Writes the report again from existing raw results. */
const { out } = readOptions({}, {});
process.stdout.write(`${writeReport(out)}\n`);
