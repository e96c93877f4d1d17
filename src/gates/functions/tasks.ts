import * as z from "zod";

/** The longest source of a function, in UTF-16 units. */
export const MAX_SOURCE = 20_000;

const Source = z.string().min(1).max(MAX_SOURCE);
const Example = z.strictObject({ args: z.array(z.json()).max(20), result: z.json() });
export type Example = z.infer<typeof Example>;

const Property = z.strictObject({
  name: z.string().min(1).max(100),
  /** `(fn, random) => boolean`, called once for each case. */
  source: Source,
});

export const FunctionTask = z.strictObject({
  name: z.string().regex(/^[A-Za-z_$][\w$]{0,59}$/, "must be the name of a JavaScript function"),
  /** What a model is told to solve. */
  statement: z.string().min(1).max(MAX_SOURCE),
  /** The function that is to be bettered. It decides what is right on fresh inputs. */
  incumbent: Source,
  /** What a model is shown. */
  visible: z.array(Example).min(1).max(100),
  /** What a model is never shown. */
  hidden: z.array(Example).min(1).max(1_000),
  properties: z.array(Property).max(50).default([]),
  /** `(random) => arguments`: the inputs on which speed is measured, and results are compared. */
  workload: Source,
  /** How many times less work a candidate has to do than the incumbent. */
  ratio: z.number().min(1).max(1_000).default(1.2),
});
export type FunctionTask = z.infer<typeof FunctionTask>;

/** Tasks that ship. Their incumbents are right, and slower than they need be. */
export const BUILTIN_TASKS: { readonly [name: string]: z.input<typeof FunctionTask> } = {
  "longest-run": {
    name: "longestRun",
    statement:
      "Given an array of integers, return the length of its longest run: the most equal values that stand next to each " +
      "other. An empty array has 0.",
    incumbent: `function longestRun(values) {
  let longest = 0;
  for (let start = 0; start < values.length; start++) {
    for (let end = start; end < values.length; end++) {
      if (values.slice(start, end + 1).some((value) => value !== values[start])) break;
      longest = Math.max(longest, end - start + 1);
    }
  }
  return longest;
}`,
    visible: [
      { args: [[1, 1, 2, 2, 2, 3]], result: 3 },
      { args: [[5]], result: 1 },
      { args: [[]], result: 0 },
      { args: [[4, 7, 4, 7]], result: 1 },
    ],
    hidden: [
      { args: [[9, 9, 9, 9]], result: 4 },
      { args: [[1, 2, 2, 1, 1, 1]], result: 3 },
      { args: [[0, 0, 0, 1]], result: 3 },
      { args: [[3, 1, 1, 2, 1, 1]], result: 2 },
      { args: [[-1, -1, -1, 2, 2]], result: 3 },
      { args: [[1, 2, 3, 4, 5, 5]], result: 2 },
      { args: [[7, 7, 8]], result: 2 },
      { args: [[2, 1, 2, 1, 2]], result: 1 },
    ],
    properties: [
      {
        name: "reversing changes nothing",
        source: `(fn, random) => {
          const values = Array.from({ length: Math.floor(random() * 20) }, () => Math.floor(random() * 3));
          return fn(values) === fn([...values].reverse());
        }`,
      },
      {
        name: "writing every value twice doubles it",
        source: `(fn, random) => {
          const values = Array.from({ length: Math.floor(random() * 20) }, () => Math.floor(random() * 3));
          return fn(values.flatMap((value) => [value, value])) === 2 * fn(values);
        }`,
      },
    ],
    workload: `(random) => {
      const values = [];
      while (values.length < 300) {
        const value = Math.floor(random() * 5);
        for (let left = 1 + Math.floor(random() * 12); left > 0; left--) values.push(value);
      }
      return [values];
    }`,
    ratio: 1.2,
  },
  "two-sum": {
    name: "twoSum",
    statement:
      "Given an array of integers and a target, return the indices [i, j] with i < j of two values that add up to the " +
      "target; null where there are none. Of several pairs return the one with the smallest j, and of those the one with " +
      "the smallest i.",
    incumbent: `function twoSum(values, target) {
  for (let j = 0; j < values.length; j++) {
    for (let i = 0; i < j; i++)
      if (values[i] + values[j] === target) return [i, j];
  }
  return null;
}`,
    visible: [
      { args: [[2, 7, 11, 15], 9], result: [0, 1] },
      { args: [[3, 2, 4], 6], result: [1, 2] },
      { args: [[1, 2], 7], result: null },
    ],
    hidden: [
      { args: [[3, 3], 6], result: [0, 1] },
      { args: [[1, 1, 1, 5], 6], result: [0, 3] },
      { args: [[], 0], result: null },
      { args: [[5], 10], result: null },
      { args: [[-3, 4, 3, 90], 0], result: [0, 2] },
      { args: [[0, 4, 3, 0], 0], result: [0, 3] },
      { args: [[1, 9, 2, 8, 3, 7], 10], result: [0, 1] },
    ],
    properties: [
      {
        name: "a pair adds up to the target",
        source: `(fn, random) => {
          const values = Array.from({ length: Math.floor(random() * 12) }, () => Math.floor(random() * 20) - 10);
          const target = Math.floor(random() * 20) - 10;
          const pair = fn(values, target);
          return pair === null || (pair[0] < pair[1] && values[pair[0]] + values[pair[1]] === target);
        }`,
      },
      {
        name: "a pair that was put in is found",
        source: `(fn, random) => {
          const values = Array.from({ length: 2 + Math.floor(random() * 12) }, () => Math.floor(random() * 50));
          return fn(values, values[0] + values[values.length - 1]) !== null;
        }`,
      },
    ],
    workload: `(random) => {
      const values = Array.from({ length: 400 }, () => Math.floor(random() * 1000000));
      return [values, random() < 0.5 ? -1 : values[150] + values[399]];
    }`,
    ratio: 1.2,
  },
};
