/**
 * How many independent voters a panel of n is worth, from 1 to n (0 for an empty panel): n² over the sum of all
 * entries of the n × n matrix of pairwise agreement or correlation, with 1 on its diagonal. With a mean correlation
 * r that is n / (1 + (n − 1) r), the design effect of Kish, Survey Sampling, 1965, 8.2. Members who contradict
 * each other count as independent, never as more than n.
 * @throws RangeError for rows that are not as long as there are members, and for an entry that is no finite number
 */
export const effectiveVotes = (agreementMatrix: readonly (readonly number[])[]): number => {
  const members = agreementMatrix.length;
  if (agreementMatrix.some((row) => row.length !== members || !row.every(Number.isFinite)))
    throw new RangeError(
      `this is no matrix of ${members} × ${members} numbers; give one row and column a member`,
    );
  const sum = agreementMatrix.flat().reduce((total, entry) => total + entry, 0);
  if (members === 0) return 0;
  return sum <= 0 ? members : Math.min(members, Math.max(1, members ** 2 / sum));
};
