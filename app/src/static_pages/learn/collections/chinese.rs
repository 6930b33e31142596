//! Chinese texts of the lesson about collections.

use super::super::LessonStation;
use super::TreeTexts;

pub(super) const TOLD: TreeTexts = TreeTexts {
    title: "从一个距离到一棵树",
    about: "一个班的五个句子，通过三个问题变成一棵树。答案保存在链接中。",
    stations: [
        LessonStation {
            title: "最近的两个",
            text: "两个句子的距离是最少要替换、插入或删除的单词数。五个句子有十对，十个距离说明谁与谁相近。",
            asks: "这些句子中哪两个最近？",
            hint: "数一数不同的单词。移动的单词算两次：删除一次，插入一次。",
            why: "{answer} 的距离是 {d}，其他每一对的距离都更大。",
        },
        LessonStation {
            title: "下一个合并的单元格",
            text: "最近的两个句子 {a} 和 {b} 现在是一组：它们的单元格已标出。一组到一个句子的距离是其成员距离中最小的（单连接）。因此下一组在其余单元格中最小的那个形成。",
            asks: "下一个合并的是哪个单元格？",
            hint: "找出未标出的最小数字。每个数字出现两次，因为两个方向的距离相同。",
            why: "{answer} 的单元格是 {d}，是剩下的最小数字。",
        },
        LessonStation {
            title: "在哪里切开树",
            text: "阈值切开树：距离不超过 {d} 的句子相似。一组是由相似对连成的链。",
            asks: "阈值是 {d}。{n} 个句子中有几个与另一个相似？",
            hint: "逐行查看。除自身外，如果一行中有一个数字不超过 {d}，这一行就算数。",
            why: "这些句子的行中都有不超过 {d} 的数字。",
        },
    ],
    pair: "{a} 和 {b}",
    table: "每两个句子之间要改变的单词数",
    open: "在页面上打开这些句子",
    back: "五个站点的课程",
};
