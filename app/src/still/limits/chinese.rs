//! Chinese, simplified.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "此服务器接受什么，保存多久，以及哪些内容从不离开浏览器。",
    engines: "此服务器的引擎",
    cells_are: "两个文本分别有 *m* 和 *n* 个符号时，共有 *m* × *n* 个单元格，任务只填写可能有关的那些：文本相似时只是一小部分，这由对两者的抽样估计。此处计的是这个数，而不是长度。精确搜索对每个符号只读一次，按 *m* + *n* 计。超过允许时间的任务会被停止；预计超过其四倍的任务会被拒绝。",
    cells: "单个任务填写的单元格",
    processor: "处理器",
    gpu: "GPU",
    sizes: "大小",
    up_to: "最多 {size}",
    upload: "上传的文本",
    request: "包含文本的请求",
    private_link: "私密链接",
    link_of_texts: "包含文本的链接",
    waiting: "等待引擎的工作总时长",
    running: "单个任务的运行时间",
    visitor_cells: "一位访客每小时填写的单元格",
    visitor_sends: "一位访客每小时发送的数据",
    visitor_stores: "一位访客每天存储的数据",
    kept: "保存什么，保存多久",
    kept_upload: "上传的文本",
    kept_result: "任务的结果",
    kept_link: "存储链接或私密链接",
    kept_link_for: "1 天、30 天或直到删除，创建时选择",
    kept_typed: "没有创建链接或任务的输入",
    kept_never: "从不保存",
    secrets: "标识符是随机的，不透露文本的任何信息。文本不会写入日志。私密链接在浏览器中加密：密钥位于链接中浏览器不会发送的部分，因此此服务器的运营者也无法读取。",
    own: "自定上限",
    own_server: "Editscope 是一个独立程序，可以自行运行；这里的每个上限都是一项设置，列在 README 中。服务器的承诺见{docs}。",
    docs: "API 文档（英文）",
};
