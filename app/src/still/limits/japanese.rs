//! Japanese.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "このサーバーが受け付けるもの、それを保存する期間、そしてブラウザの外に決して出ないもの。",
    engines: "このサーバーのエンジン",
    cells_are: "*m* 記号と *n* 記号のテキストのジョブには *m* × *n* 個のセルがあります。完全一致検索は各記号を一度だけ読むので、*m* + *n* と数えます。",
    cells: "ジョブ 1 件のセル数",
    processor: "プロセッサ",
    gpu: "GPU",
    sizes: "大きさ",
    up_to: "{size}まで",
    upload: "送信するテキスト",
    request: "テキストを含むリクエスト",
    private_link: "非公開リンク",
    link_of_texts: "テキストを含むリンク",
    waiting: "待機できるジョブ",
    running: "ジョブ 1 件の実行時間",
    kept: "保存するものと期間",
    kept_upload: "送信されたテキスト",
    kept_result: "ジョブの結果",
    kept_link: "保存リンクと非公開リンク",
    kept_link_for: "1 日、30 日、または削除するまで（作るときに選択）",
    kept_typed: "リンクもジョブも作らない入力",
    kept_never: "保存しません",
    secrets: "ID は無作為で、テキストについて何も明かしません。テキストがログに書かれることもありません。非公開リンクはブラウザの中で暗号化されます。鍵はリンクのうちブラウザが送信しない部分にあるので、このサーバーの運営者にも読めません。",
    own: "自分で上限を決める",
    own_server: "Editscope は一つのプログラムで、自分のマシンでも動かせます。ここに挙げた上限はどれも環境変数です。一覧は{docs}の末尾にあります。",
    docs: "API の説明（英語）",
};
