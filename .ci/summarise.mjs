// Prints the skipped files, the failed files and a last line with the totals. The smoke run of the bench counts as one
// test.
import { readFileSync } from 'node:fs';

const [file, exitCode, bench] = process.argv.slice(2);
let report;
try {
  report = JSON.parse(readFileSync(file, 'utf8'));
} catch {
  console.log('the tests did not run to their end');
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const benchSkipped = bench === '77' ? 1 : 0;
const benchPassed = bench === '0' ? 1 : 0;
const skipped = report.numPendingTests + report.numTodoTests + benchSkipped;
const failedFiles = [];
for (const { name, status, assertionResults } of report.testResults) {
  const count = assertionResults.filter(
    ({ status }) => status !== 'passed' && status !== 'failed',
  ).length;
  if (count > 0) console.log(`skipped: ${count} in ${name}`);
  if (status === 'failed') failedFiles.push(name);
}
for (const name of failedFiles) console.log(`failed: ${name}`);
// A missed threshold or a broken file can fail a run without a failing test. This counts as one failed test.
const failedTests =
  report.numFailedTests || (exitCode === '0' && report.numPassedTests > 0 ? 0 : 1);
const failed = failedTests + 1 - benchSkipped - benchPassed;
if (benchSkipped) console.log('skipped: the smoke run of the bench');
console.log(
  `${report.numPassedTests + benchPassed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exit(failed === 0 ? 0 : 1);
