//! Chinese texts of the lesson about costs.

use super::{CostsTexts, ModelTexts};

pub(super) const TOLD: CostsTexts = CostsTexts {
    title: "同样两个词，五种代价",
    about: "用五种方法计算两个词有多少共同之处。词不变，看总和与各列如何变化。",
    words: "这两个词是 *{a}* 和 *{b}*。",
    models: [
        ModelTexts {
            title: "Levenshtein：每次编辑计 1", text: "替换、插入或删除一个字母。每次编辑计 1，总和最小者胜出。"
        },
        ModelTexts {
            title: "Indel：替换计 2",
            text: "一次替换等于删除一个字母再插入另一个。因此只有留下的字母起作用：总和可由最长公共子序列得出。",
        },
        ModelTexts {
            title: "Damerau–Levenshtein：交换计 1",
            text: "打字时常会把相邻的两个字母弄反。这里把这样的交换算作一次编辑。其他编辑不得再改动这两个字母（最优字符串对齐）。",
        },
        ModelTexts {
            title: "Needleman–Wunsch：相同得分",
            text: "相同的字母得 1 分，不同的字母扣 1 分，没有配对的字母扣 1 分。总和最大者胜出。总和随词的长度增长，不知道长度就说明不了什么。",
        },
        ModelTexts {
            title: "Smith–Waterman：最佳片段",
            text: "相同的字母得 3 分，不同的字母扣 3 分，没有配对的字母扣 2 分。对齐可以在任何位置开始和结束：最佳片段之外的字母不扣分。",
        },
    ],
    sum: "总和：{sum}。",
    points: "得分：{points}。",
    pieces: "*a* 的第 {a1} 至 {a2} 个字母，*b* 的第 {b1} 至 {b2} 个字母。",
    nothing: "没有得分的片段。",
    same: "各列与 Levenshtein 相同，只是代价不同。",
    other: "各列与 Levenshtein 不同。",
    open: "在页面上打开",
    own_note: "两段短文本：*a* 最多 {a} 个符号，*b* 最多 {b} 个。它们包含在链接中。",
    back: "五站课程",
};
